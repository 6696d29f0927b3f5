%struct.Shaded = type { i32, [3 x float] }

@__const.mean_color.veil = private unnamed_addr constant %struct.Shaded { i32 -1, [3 x float] zeroinitializer }, align 4
@__const.shadow_on_ground.along = private unnamed_addr constant [3 x float] [float 0.000000e+00, float 0.000000e+00, float -1.000000e+00], align 4

define void @draw_triangles(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, ptr nocapture noundef readonly %2, ptr nocapture noundef readonly %3, i64 noundef %4, i64 noundef %5) local_unnamed_addr #0 {
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = alloca [3 x float], align 4
  %10 = load i64, ptr %0, align 8
  %11 = icmp slt i64 %4, %5
  br i1 %11, label %12, label %30

12:
  %13 = getelementptr inbounds i8, ptr %0, i64 8
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds i8, ptr %0, i64 48
  %16 = sitofp i64 %10 to float
  %17 = sitofp i64 %14 to float
  %18 = add nsw i64 %10, -1
  %19 = sitofp i64 %18 to float
  %20 = add nsw i64 %14, -1
  %21 = sitofp i64 %20 to float
  %22 = getelementptr inbounds i8, ptr %7, i64 4
  %23 = getelementptr inbounds i8, ptr %7, i64 8
  %24 = getelementptr inbounds i8, ptr %8, i64 4
  %25 = getelementptr inbounds i8, ptr %8, i64 8
  %26 = getelementptr inbounds i8, ptr %0, i64 40
  %27 = getelementptr inbounds i8, ptr %0, i64 16
  %28 = getelementptr inbounds i8, ptr %0, i64 24
  %29 = getelementptr inbounds i8, ptr %0, i64 32
  br label %31

30:
  ret void

31:
  %32 = phi i64 [ %4, %12 ], [ %290, %289 ]
  %33 = mul i64 %32, 12
  %34 = getelementptr inbounds i8, ptr %2, i64 %33
  %35 = load i32, ptr %34, align 4
  %36 = mul nsw i32 %35, 3
  %37 = sext i32 %36 to i64
  %38 = getelementptr inbounds float, ptr %1, i64 %37
  %39 = getelementptr i8, ptr %34, i64 4
  %40 = load i32, ptr %39, align 4
  %41 = mul nsw i32 %40, 3
  %42 = sext i32 %41 to i64
  %43 = getelementptr inbounds float, ptr %1, i64 %42
  %44 = getelementptr i8, ptr %34, i64 8
  %45 = load i32, ptr %44, align 4
  %46 = mul nsw i32 %45, 3
  %47 = sext i32 %46 to i64
  %48 = getelementptr inbounds float, ptr %1, i64 %47
  %49 = load float, ptr %43, align 4
  %50 = load float, ptr %38, align 4
  %51 = fsub float %49, %50
  %52 = getelementptr inbounds i8, ptr %48, i64 4
  %53 = load float, ptr %52, align 4
  %54 = getelementptr inbounds i8, ptr %38, i64 4
  %55 = load float, ptr %54, align 4
  %56 = fsub float %53, %55
  %57 = getelementptr inbounds i8, ptr %43, i64 4
  %58 = load float, ptr %57, align 4
  %59 = fsub float %58, %55
  %60 = load float, ptr %48, align 4
  %61 = fsub float %60, %50
  %62 = fneg float %59
  %63 = fmul float %61, %62
  %64 = tail call float @llvm.fmuladd.f32(float %51, float %56, float %63)
  %65 = tail call float @llvm.fabs.f32(float %64)
  %66 = fcmp ogt float %65, 0x3E112E0BE0000000
  br i1 %66, label %67, label %289

67:
  %68 = getelementptr inbounds i8, ptr %3, i64 %32
  %69 = load i8, ptr %68, align 1
  %70 = icmp eq i8 %69, 0
  br i1 %70, label %75, label %71

71:
  %72 = load float, ptr %15, align 8
  %73 = fmul float %64, %72
  %74 = fcmp ogt float %73, 0.000000e+00
  br i1 %74, label %289, label %75

75:
  %76 = fcmp olt float %49, %60
  %77 = select i1 %76, float %49, float %60
  %78 = fcmp olt float %50, %77
  %79 = select i1 %78, float %50, float %77
  %80 = fcmp ogt float %49, %60
  %81 = select i1 %80, float %49, float %60
  %82 = fcmp ogt float %50, %81
  %83 = select i1 %82, float %50, float %81
  %84 = fcmp olt float %58, %53
  %85 = select i1 %84, float %58, float %53
  %86 = fcmp olt float %55, %85
  %87 = select i1 %86, float %55, float %85
  %88 = fcmp ogt float %58, %53
  %89 = select i1 %88, float %58, float %53
  %90 = fcmp ogt float %55, %89
  %91 = select i1 %90, float %55, float %89
  %92 = fcmp oge float %83, 0.000000e+00
  %93 = fcmp oge float %91, 0.000000e+00
  %94 = select i1 %92, i1 %93, i1 false
  %95 = fcmp olt float %79, %16
  %96 = select i1 %94, i1 %95, i1 false
  %97 = fcmp olt float %87, %17
  %98 = select i1 %96, i1 %97, i1 false
  br i1 %98, label %99, label %289

99:
  %100 = fadd float %79, -5.000000e-01
  %101 = fcmp ogt float %100, 0.000000e+00
  %102 = select i1 %101, float %100, float 0.000000e+00
  %103 = fcmp olt float %102, %19
  %104 = select i1 %103, float %102, float %19
  %105 = fadd float %83, 5.000000e-01
  %106 = fcmp ogt float %105, 0.000000e+00
  %107 = select i1 %106, float %105, float 0.000000e+00
  %108 = fcmp olt float %107, %19
  %109 = select i1 %108, float %107, float %19
  %110 = fadd float %87, -5.000000e-01
  %111 = fcmp ogt float %110, 0.000000e+00
  %112 = select i1 %111, float %110, float 0.000000e+00
  %113 = fcmp olt float %112, %21
  %114 = select i1 %113, float %112, float %21
  %115 = fadd float %91, 5.000000e-01
  %116 = fcmp ogt float %115, 0.000000e+00
  %117 = select i1 %116, float %115, float 0.000000e+00
  %118 = fcmp olt float %117, %21
  %119 = select i1 %118, float %117, float %21
  %120 = fdiv float 1.000000e+00, %64
  %121 = fmul float %56, %120
  %122 = fsub float %50, %60
  %123 = fmul float %122, %120
  %124 = fsub float %55, %58
  %125 = fmul float %124, %120
  %126 = fmul float %51, %120
  %127 = getelementptr inbounds i8, ptr %43, i64 8
  %128 = load float, ptr %127, align 4
  %129 = getelementptr inbounds i8, ptr %38, i64 8
  %130 = load float, ptr %129, align 4
  %131 = getelementptr inbounds i8, ptr %48, i64 8
  %132 = load float, ptr %131, align 4
  %133 = fsub float %132, %130
  %134 = fmul float %125, %133
  %135 = fmul float %126, %133
  store float %121, ptr %7, align 4
  store float %125, ptr %22, align 4
  %136 = fneg float %121
  %137 = fsub float %136, %125
  store float %137, ptr %23, align 4
  store float %123, ptr %8, align 4
  store float %126, ptr %24, align 4
  %138 = fneg float %123
  %139 = fsub float %138, %126
  store float %139, ptr %25, align 4
  br label %155

140:
  %141 = fptosi float %114 to i64
  %142 = fptosi float %119 to i64
  %143 = fsub float %128, %130
  %144 = tail call float @llvm.fmuladd.f32(float %143, float %121, float %134)
  %145 = tail call float @llvm.fmuladd.f32(float %143, float %123, float %135)
  %146 = icmp sgt i64 %141, %142
  br i1 %146, label %166, label %147

147:
  %148 = fptosi float %109 to i64
  %149 = fptosi float %104 to i64
  %150 = sitofp i64 %149 to float
  %151 = fadd float %150, 5.000000e-01
  %152 = sitofp i64 %148 to float
  %153 = fadd float %152, 5.000000e-01
  %154 = trunc i64 %32 to i32
  br label %167

155:
  %156 = phi i64 [ 0, %99 ], [ %164, %155 ]
  %157 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %156
  %158 = load float, ptr %157, align 4
  %159 = tail call float @llvm.fabs.f32(float %158)
  %160 = fcmp ogt float %159, 0x3D71979980000000
  %161 = fdiv float 1.000000e+00, %158
  %162 = select i1 %160, float %161, float 0.000000e+00
  %163 = getelementptr inbounds [3 x float], ptr %9, i64 0, i64 %156
  store float %162, ptr %163, align 4
  %164 = add nuw nsw i64 %156, 1
  %165 = icmp eq i64 %164, 3
  br i1 %165, label %140, label %155

166:
  br label %289

167:
  %168 = phi i64 [ %141, %147 ], [ %287, %286 ]
  %169 = sitofp i64 %168 to float
  %170 = fadd float %169, 5.000000e-01
  %171 = load float, ptr %54, align 4
  %172 = fsub float %170, %171
  %173 = load float, ptr %38, align 4
  %174 = fsub float %151, %173
  %175 = fsub float %153, %173
  br label %178

176:
  %177 = fcmp ugt float %206, %207
  br i1 %177, label %286, label %210

178:
  %179 = phi i64 [ 0, %167 ], [ %208, %205 ]
  %180 = phi float [ %175, %167 ], [ %207, %205 ]
  %181 = phi float [ %174, %167 ], [ %206, %205 ]
  %182 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %179
  %183 = load float, ptr %182, align 4
  %184 = icmp eq i64 %179, 2
  %185 = select i1 %184, float 1.000000e+00, float 0.000000e+00
  %186 = tail call float @llvm.fmuladd.f32(float %183, float %172, float %185)
  %187 = fadd float %186, 0x3F1A36E2E0000000
  %188 = fneg float %187
  %189 = getelementptr inbounds [3 x float], ptr %9, i64 0, i64 %179
  %190 = load float, ptr %189, align 4
  %191 = fmul float %190, %188
  %192 = fcmp ogt float %190, 0.000000e+00
  br i1 %192, label %193, label %196

193:
  %194 = fcmp ogt float %181, %191
  %195 = select i1 %194, float %181, float %191
  br label %205

196:
  %197 = fcmp olt float %190, 0.000000e+00
  br i1 %197, label %198, label %201

198:
  %199 = fcmp olt float %180, %191
  %200 = select i1 %199, float %180, float %191
  br label %205

201:
  %202 = fcmp olt float %187, 0.000000e+00
  br i1 %202, label %203, label %205

203:
  %204 = fadd float %181, -1.000000e+00
  br label %205

205:
  %206 = phi float [ %195, %193 ], [ %181, %198 ], [ %181, %203 ], [ %181, %201 ]
  %207 = phi float [ %180, %193 ], [ %200, %198 ], [ %204, %203 ], [ %180, %201 ]
  %208 = add nuw nsw i64 %179, 1
  %209 = icmp eq i64 %208, 3
  br i1 %209, label %176, label %178

210:
  %211 = fadd float %173, %206
  %212 = fadd float %211, 5.000000e-01
  %213 = fcmp ogt float %212, 0.000000e+00
  %214 = select i1 %213, float %212, float 0.000000e+00
  %215 = fcmp olt float %214, %19
  %216 = select i1 %215, float %214, float %19
  %217 = fptosi float %216 to i64
  %218 = fadd float %173, %207
  %219 = fadd float %218, -5.000000e-01
  %220 = fcmp ogt float %219, 0.000000e+00
  %221 = select i1 %220, float %219, float 0.000000e+00
  %222 = fcmp olt float %221, %19
  %223 = select i1 %222, float %221, float %19
  %224 = fptosi float %223 to i64
  %225 = sitofp i64 %217 to float
  %226 = fadd float %225, 5.000000e-01
  %227 = fsub float %226, %173
  %228 = fcmp olt float %227, %206
  %229 = fadd float %227, 1.000000e+00
  %230 = zext i1 %228 to i64
  %231 = add nsw i64 %230, %217
  %232 = select i1 %228, float %229, float %227
  %233 = load ptr, ptr %26, align 8
  %234 = shl nsw i64 %168, 3
  %235 = getelementptr inbounds i8, ptr %233, i64 %234
  %236 = load i32, ptr %235, align 4
  %237 = sext i32 %236 to i64
  %238 = icmp slt i64 %231, %237
  br i1 %238, label %239, label %241

239:
  %240 = trunc i64 %231 to i32
  store i32 %240, ptr %235, align 4
  br label %241

241:
  %242 = getelementptr inbounds i8, ptr %235, i64 4
  %243 = load i32, ptr %242, align 4
  %244 = sext i32 %243 to i64
  %245 = icmp sgt i64 %224, %244
  br i1 %245, label %246, label %248

246:
  %247 = trunc i64 %224 to i32
  store i32 %247, ptr %242, align 4
  br label %248

248:
  %249 = icmp sgt i64 %231, %224
  br i1 %249, label %286, label %250

250:
  %251 = mul nsw i64 %168, %10
  %252 = add nsw i64 %231, %251
  %253 = load float, ptr %129, align 4
  %254 = tail call float @llvm.fmuladd.f32(float %144, float %232, float %253)
  %255 = tail call float @llvm.fmuladd.f32(float %145, float %172, float %254)
  %256 = fmul float %123, %172
  %257 = fmul float %126, %172
  br label %258

258:
  %259 = phi i64 [ %231, %250 ], [ %281, %280 ]
  %260 = phi i64 [ %252, %250 ], [ %282, %280 ]
  %261 = phi float [ %255, %250 ], [ %284, %280 ]
  %262 = phi float [ %232, %250 ], [ %283, %280 ]
  %263 = load ptr, ptr %27, align 8
  %264 = getelementptr inbounds float, ptr %263, i64 %260
  %265 = load float, ptr %264, align 4
  %266 = fcmp ugt float %261, %265
  br i1 %266, label %267, label %280

267:
  store float %261, ptr %264, align 4
  %268 = load ptr, ptr %28, align 8
  %269 = icmp eq ptr %268, null
  br i1 %269, label %280, label %270

270:
  %271 = getelementptr inbounds i32, ptr %268, i64 %260
  store i32 %154, ptr %271, align 4
  %272 = tail call float @llvm.fmuladd.f32(float %121, float %262, float %256)
  %273 = load ptr, ptr %29, align 8
  %274 = shl nsw i64 %260, 1
  %275 = getelementptr inbounds float, ptr %273, i64 %274
  store float %272, ptr %275, align 4
  %276 = tail call float @llvm.fmuladd.f32(float %125, float %262, float %257)
  %277 = load ptr, ptr %29, align 8
  %278 = or disjoint i64 %274, 1
  %279 = getelementptr inbounds float, ptr %277, i64 %278
  store float %276, ptr %279, align 4
  br label %280

280:
  %281 = add i64 %259, 1
  %282 = add nsw i64 %260, 1
  %283 = fadd float %262, 1.000000e+00
  %284 = fadd float %144, %261
  %285 = icmp eq i64 %259, %224
  br i1 %285, label %286, label %258

286:
  %287 = add i64 %168, 1
  %288 = icmp eq i64 %168, %142
  br i1 %288, label %166, label %167

289:
  %290 = add nsw i64 %32, 1
  %291 = icmp eq i64 %290, %5
  br i1 %291, label %30, label %31
}

declare float @llvm.fmuladd.f32(float, float, float) #2

define void @shade_pixels(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2) local_unnamed_addr #3 {
  %4 = alloca [3 x float], align 4
  %5 = alloca [3 x float], align 4
  %6 = alloca [3 x float], align 4
  %7 = alloca %struct.Shaded, align 4
  %8 = alloca %struct.Shaded, align 4
  %9 = alloca [4 x float], align 16
  %10 = alloca [4 x float], align 16
  %11 = getelementptr inbounds i8, ptr %0, i64 48
  %12 = load i64, ptr %11, align 8
  %13 = load ptr, ptr %0, align 8
  %14 = load i64, ptr %13, align 8
  %15 = sdiv i64 %14, %12
  %16 = getelementptr inbounds i8, ptr %0, i64 56
  %17 = icmp slt i64 %1, %2
  br i1 %17, label %18, label %42

18:
  %19 = icmp sgt i64 %12, 0
  %20 = getelementptr inbounds i8, ptr %0, i64 8
  %21 = getelementptr inbounds i8, ptr %0, i64 72
  %22 = getelementptr inbounds i8, ptr %0, i64 80
  %23 = getelementptr inbounds i8, ptr %0, i64 64
  %24 = getelementptr inbounds i8, ptr %10, i64 12
  %25 = sitofp i64 %12 to float
  %26 = fmul float %25, 5.000000e-01
  %27 = getelementptr inbounds i8, ptr %0, i64 88
  %28 = getelementptr inbounds i8, ptr %0, i64 96
  %29 = getelementptr inbounds i8, ptr %0, i64 92
  %30 = getelementptr inbounds i8, ptr %4, i64 4
  %31 = getelementptr inbounds i8, ptr %4, i64 8
  %32 = getelementptr inbounds i8, ptr %0, i64 100
  %33 = getelementptr inbounds i8, ptr %5, i64 4
  %34 = getelementptr inbounds i8, ptr %5, i64 8
  %35 = getelementptr inbounds i8, ptr %0, i64 120
  %36 = getelementptr inbounds i8, ptr %0, i64 124
  %37 = getelementptr inbounds i8, ptr %0, i64 128
  %38 = getelementptr inbounds i8, ptr %0, i64 144
  %39 = getelementptr inbounds i8, ptr %0, i64 148
  %40 = getelementptr inbounds i8, ptr %0, i64 212
  %41 = getelementptr inbounds i8, ptr %0, i64 216
  br label %43

42:
  ret void

43:
  %44 = phi i64 [ %1, %18 ], [ %136, %135 ]
  %45 = load ptr, ptr %0, align 8
  %46 = icmp ne ptr %45, null
  %47 = and i1 %19, %46
  br i1 %47, label %48, label %77

48:
  %49 = getelementptr inbounds i8, ptr %45, i64 40
  %50 = mul nsw i64 %44, %12
  %51 = load ptr, ptr %49, align 8
  br label %52

52:
  %53 = phi i64 [ %15, %48 ], [ %73, %72 ]
  %54 = phi i64 [ 0, %48 ], [ %74, %72 ]
  %55 = phi i64 [ 0, %48 ], [ %75, %72 ]
  %56 = add nsw i64 %55, %50
  %57 = shl nsw i64 %56, 3
  %58 = getelementptr inbounds i8, ptr %51, i64 %57
  %59 = getelementptr inbounds i8, ptr %58, i64 4
  %60 = load i32, ptr %59, align 4
  %61 = load i32, ptr %58, align 4
  %62 = icmp slt i32 %60, %61
  br i1 %62, label %72, label %63

63:
  %64 = sext i32 %61 to i64
  %65 = sdiv i64 %64, %12
  %66 = tail call i64 @llvm.smin.i64(i64 %65, i64 %53)
  %67 = sext i32 %60 to i64
  %68 = sdiv i64 %67, %12
  %69 = icmp slt i64 %68, %54
  %70 = add nsw i64 %68, 1
  %71 = select i1 %69, i64 %54, i64 %70
  br label %72

72:
  %73 = phi i64 [ %53, %52 ], [ %66, %63 ]
  %74 = phi i64 [ %54, %52 ], [ %71, %63 ]
  %75 = add nuw nsw i64 %55, 1
  %76 = icmp eq i64 %75, %12
  br i1 %76, label %77, label %52

77:
  %78 = phi i64 [ %15, %43 ], [ %73, %72 ]
  %79 = phi i64 [ 0, %43 ], [ %74, %72 ]
  %80 = load ptr, ptr %20, align 8
  %81 = icmp ne ptr %80, null
  %82 = and i1 %19, %81
  br i1 %82, label %83, label %112

83:
  %84 = getelementptr inbounds i8, ptr %80, i64 40
  %85 = mul nsw i64 %44, %12
  %86 = load ptr, ptr %84, align 8
  br label %87

87:
  %88 = phi i64 [ %78, %83 ], [ %108, %107 ]
  %89 = phi i64 [ %79, %83 ], [ %109, %107 ]
  %90 = phi i64 [ 0, %83 ], [ %110, %107 ]
  %91 = add nsw i64 %90, %85
  %92 = shl nsw i64 %91, 3
  %93 = getelementptr inbounds i8, ptr %86, i64 %92
  %94 = getelementptr inbounds i8, ptr %93, i64 4
  %95 = load i32, ptr %94, align 4
  %96 = load i32, ptr %93, align 4
  %97 = icmp slt i32 %95, %96
  br i1 %97, label %107, label %98

98:
  %99 = sext i32 %96 to i64
  %100 = sdiv i64 %99, %12
  %101 = tail call i64 @llvm.smin.i64(i64 %100, i64 %88)
  %102 = sext i32 %95 to i64
  %103 = sdiv i64 %102, %12
  %104 = icmp slt i64 %103, %89
  %105 = add nsw i64 %103, 1
  %106 = select i1 %104, i64 %89, i64 %105
  br label %107

107:
  %108 = phi i64 [ %88, %87 ], [ %101, %98 ]
  %109 = phi i64 [ %89, %87 ], [ %106, %98 ]
  %110 = add nuw nsw i64 %90, 1
  %111 = icmp eq i64 %110, %12
  br i1 %111, label %112, label %87

112:
  %113 = phi i64 [ %78, %77 ], [ %108, %107 ]
  %114 = phi i64 [ %79, %77 ], [ %109, %107 ]
  %115 = load i64, ptr %21, align 8
  %116 = icmp slt i64 %44, %115
  br i1 %116, label %125, label %117

117:
  %118 = load i64, ptr %22, align 8
  %119 = icmp slt i64 %44, %118
  br i1 %119, label %120, label %125

120:
  %121 = load i64, ptr %16, align 8
  %122 = tail call i64 @llvm.smin.i64(i64 %121, i64 %113)
  %123 = load i64, ptr %23, align 8
  %124 = tail call i64 @llvm.smax.i64(i64 %123, i64 %114)
  br label %125

125:
  %126 = phi i64 [ %113, %117 ], [ %113, %112 ], [ %122, %120 ]
  %127 = phi i1 [ true, %117 ], [ true, %112 ], [ false, %120 ]
  %128 = phi i64 [ %114, %117 ], [ %114, %112 ], [ %124, %120 ]
  %129 = icmp slt i64 %126, %128
  br i1 %129, label %130, label %135

130:
  %131 = mul nsw i64 %44, %12
  %132 = sitofp i64 %131 to float
  %133 = fadd float %26, %132
  %134 = mul nsw i64 %44, %15
  br label %138

135:
  %136 = add i64 %44, 1
  %137 = icmp eq i64 %136, %2
  br i1 %137, label %42, label %43

138:
  %139 = phi i64 [ %126, %130 ], [ %310, %309 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %10, i8 0, i64 16, i1 false)
  %140 = icmp sge i64 %139, %113
  %141 = icmp slt i64 %139, %114
  %142 = select i1 %140, i1 %141, i1 false
  br i1 %142, label %143, label %210

143:
  %144 = load i64, ptr %11, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %7, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %8, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  br label %150

145:
  %146 = icmp sgt i64 %144, 0
  br i1 %146, label %147, label %158

147:
  %148 = mul nsw i64 %144, %139
  %149 = mul nsw i64 %144, %44
  br label %155

150:
  %151 = phi i64 [ 0, %143 ], [ %153, %150 ]
  %152 = getelementptr inbounds float, ptr %10, i64 %151
  store float 0.000000e+00, ptr %152, align 4
  %153 = add nuw nsw i64 %151, 1
  %154 = icmp eq i64 %153, 4
  br i1 %154, label %145, label %150

155:
  %156 = phi i64 [ 0, %147 ], [ %162, %161 ]
  %157 = add nsw i64 %156, %149
  br label %164

158:
  %159 = mul nsw i64 %144, %144
  %160 = uitofp nneg i64 %159 to float
  br label %201

161:
  %162 = add nuw nsw i64 %156, 1
  %163 = icmp eq i64 %162, %144
  br i1 %163, label %158, label %155

164:
  %165 = phi i64 [ 0, %155 ], [ %190, %189 ]
  %166 = add nsw i64 %165, %148
  %167 = load ptr, ptr %0, align 8
  %168 = load i64, ptr %167, align 8
  %169 = mul nsw i64 %168, %157
  %170 = add nsw i64 %169, %166
  %171 = getelementptr inbounds i8, ptr %167, i64 16
  %172 = load ptr, ptr %171, align 8
  %173 = getelementptr inbounds float, ptr %172, i64 %170
  %174 = load float, ptr %173, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %9, i8 0, i64 16, i1 false)
  %175 = load ptr, ptr %20, align 8
  %176 = icmp eq ptr %175, null
  br i1 %176, label %184, label %177

177:
  %178 = getelementptr inbounds i8, ptr %175, i64 16
  %179 = load ptr, ptr %178, align 8
  %180 = getelementptr inbounds float, ptr %179, i64 %170
  %181 = load float, ptr %180, align 4
  %182 = fcmp ogt float %181, %174
  br i1 %182, label %183, label %184

183:
  call fastcc void @add(ptr noundef nonnull readonly %0, ptr noundef nonnull %175, i64 noundef %166, i64 noundef %157, ptr noundef nonnull %7, ptr noundef nonnull %9) #11
  br label %184

184:
  %185 = fcmp ogt float %174, 0.000000e+00
  br i1 %185, label %187, label %186

186:
  br label %192

187:
  %188 = load ptr, ptr %0, align 8
  call fastcc void @add(ptr noundef nonnull readonly %0, ptr noundef %188, i64 noundef %166, i64 noundef %157, ptr noundef nonnull %8, ptr noundef nonnull %9) #11
  br label %186

189:
  %190 = add nuw nsw i64 %165, 1
  %191 = icmp eq i64 %190, %144
  br i1 %191, label %161, label %164

192:
  %193 = phi i64 [ %199, %192 ], [ 0, %186 ]
  %194 = getelementptr inbounds [4 x float], ptr %9, i64 0, i64 %193
  %195 = load float, ptr %194, align 4
  %196 = getelementptr inbounds float, ptr %10, i64 %193
  %197 = load float, ptr %196, align 4
  %198 = fadd float %195, %197
  store float %198, ptr %196, align 4
  %199 = add nuw nsw i64 %193, 1
  %200 = icmp eq i64 %199, 4
  br i1 %200, label %189, label %192

201:
  %202 = phi i64 [ 0, %158 ], [ %206, %201 ]
  %203 = getelementptr inbounds float, ptr %10, i64 %202
  %204 = load float, ptr %203, align 4
  %205 = fdiv float %204, %160
  store float %205, ptr %203, align 4
  %206 = add nuw nsw i64 %202, 1
  %207 = icmp eq i64 %206, 4
  br i1 %207, label %208, label %201

208:
  %209 = load float, ptr %24, align 4
  br label %210

210:
  %211 = phi float [ %209, %208 ], [ 0.000000e+00, %138 ]
  %212 = fcmp uge float %211, 1.000000e+00
  %213 = or i1 %127, %212
  br i1 %213, label %275, label %214

214:
  %215 = load i64, ptr %16, align 8
  %216 = icmp slt i64 %139, %215
  br i1 %216, label %275, label %217

217:
  %218 = load i64, ptr %23, align 8
  %219 = icmp slt i64 %139, %218
  br i1 %219, label %220, label %275

220:
  %221 = mul nsw i64 %139, %12
  %222 = sitofp i64 %221 to float
  %223 = fadd float %26, %222
  %224 = load float, ptr %27, align 8
  %225 = load float, ptr %28, align 8
  %226 = tail call float @llvm.fmuladd.f32(float %225, float %223, float %224)
  %227 = load float, ptr %29, align 4
  %228 = fneg float %225
  %229 = tail call float @llvm.fmuladd.f32(float %228, float %133, float %227)
  store float %226, ptr %4, align 4
  store float %229, ptr %30, align 4
  store float 0.000000e+00, ptr %31, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %5, ptr noundef nonnull align 4 dereferenceable(12) @__const.shadow_on_ground.along, i64 12, i1 false)
  %230 = load float, ptr %32, align 4
  %231 = fcmp ogt float %230, 0.000000e+00
  br i1 %231, label %232, label %234

232:
  store float 0.000000e+00, ptr %30, align 4
  store float 0.000000e+00, ptr %4, align 4
  store float %230, ptr %31, align 4
  store float %226, ptr %5, align 4
  store float %229, ptr %33, align 4
  %233 = fneg float %230
  store float %233, ptr %34, align 4
  br label %234

234:
  %235 = phi float [ %230, %232 ], [ 0.000000e+00, %220 ]
  %236 = phi float [ 0.000000e+00, %232 ], [ %229, %220 ]
  %237 = phi float [ 0.000000e+00, %232 ], [ %226, %220 ]
  %238 = phi float [ %233, %232 ], [ -1.000000e+00, %220 ]
  %239 = phi float [ %229, %232 ], [ 0.000000e+00, %220 ]
  %240 = phi float [ %226, %232 ], [ 0.000000e+00, %220 ]
  %241 = load float, ptr %35, align 4
  %242 = load float, ptr %36, align 4
  %243 = fmul float %239, %242
  %244 = tail call float @llvm.fmuladd.f32(float %241, float %240, float %243)
  %245 = load float, ptr %37, align 4
  %246 = tail call float @llvm.fmuladd.f32(float %245, float %238, float %244)
  %247 = fcmp olt float %246, 0.000000e+00
  br i1 %247, label %248, label %273

248:
  %249 = load float, ptr %38, align 8
  %250 = fmul float %236, %242
  %251 = tail call float @llvm.fmuladd.f32(float %241, float %237, float %250)
  %252 = tail call float @llvm.fmuladd.f32(float %245, float %235, float %251)
  %253 = fsub float %249, %252
  %254 = fdiv float %253, %246
  %255 = fcmp ogt float %254, 0.000000e+00
  br i1 %255, label %263, label %273

256:
  %257 = load float, ptr %39, align 4
  %258 = load float, ptr %40, align 4
  %259 = fdiv float %258, 3.000000e+00
  %260 = call fastcc float @lit(ptr noundef readonly %0, ptr noundef nonnull %6, i32 noundef 7, float noundef %259) #11
  %261 = fsub float 1.000000e+00, %260
  %262 = fmul float %257, %261
  br label %273

263:
  %264 = phi i64 [ %271, %263 ], [ 0, %248 ]
  %265 = getelementptr inbounds [3 x float], ptr %4, i64 0, i64 %264
  %266 = load float, ptr %265, align 4
  %267 = getelementptr inbounds [3 x float], ptr %5, i64 0, i64 %264
  %268 = load float, ptr %267, align 4
  %269 = tail call float @llvm.fmuladd.f32(float %254, float %268, float %266)
  %270 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %264
  store float %269, ptr %270, align 4
  %271 = add nuw nsw i64 %264, 1
  %272 = icmp eq i64 %271, 3
  br i1 %272, label %256, label %263

273:
  %274 = phi float [ 0.000000e+00, %234 ], [ %262, %256 ], [ 0.000000e+00, %248 ]
  br label %275

275:
  %276 = phi float [ %274, %273 ], [ 0.000000e+00, %217 ], [ 0.000000e+00, %214 ], [ 0.000000e+00, %210 ]
  %277 = fsub float 1.000000e+00, %211
  %278 = tail call float @llvm.fmuladd.f32(float %277, float %276, float %211)
  %279 = fcmp ogt float %278, 0.000000e+00
  br i1 %279, label %280, label %309

280:
  %281 = load ptr, ptr %41, align 8
  %282 = add nsw i64 %139, %134
  %283 = shl nsw i64 %282, 2
  %284 = getelementptr inbounds i8, ptr %281, i64 %283
  %285 = fmul float %277, %276
  br label %294

286:
  %287 = tail call float @llvm.fmuladd.f32(float %278, float 2.550000e+02, float 5.000000e-01)
  %288 = fcmp ogt float %287, 0.000000e+00
  %289 = select i1 %288, float %287, float 0.000000e+00
  %290 = fcmp olt float %289, 2.550000e+02
  %291 = select i1 %290, float %289, float 2.550000e+02
  %292 = fptoui float %291 to i8
  %293 = getelementptr inbounds i8, ptr %284, i64 3
  store i8 %292, ptr %293, align 1
  br label %309

294:
  %295 = phi i64 [ 0, %280 ], [ %307, %294 ]
  %296 = getelementptr inbounds [4 x float], ptr %10, i64 0, i64 %295
  %297 = load float, ptr %296, align 4
  %298 = tail call float @llvm.fmuladd.f32(float %285, float 0x3FBEB851E0000000, float %297)
  %299 = fdiv float %298, %278
  %300 = tail call float @llvm.fmuladd.f32(float %299, float 2.550000e+02, float 5.000000e-01)
  %301 = fcmp ogt float %300, 0.000000e+00
  %302 = select i1 %301, float %300, float 0.000000e+00
  %303 = fcmp olt float %302, 2.550000e+02
  %304 = select i1 %303, float %302, float 2.550000e+02
  %305 = fptoui float %304 to i8
  %306 = getelementptr inbounds i8, ptr %284, i64 %295
  store i8 %305, ptr %306, align 1
  %307 = add nuw nsw i64 %295, 1
  %308 = icmp eq i64 %307, 3
  br i1 %308, label %286, label %294

309:
  %310 = add i64 %139, 1
  %311 = icmp eq i64 %310, %128
  br i1 %311, label %135, label %138
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #4

define void @lay_over(ptr nocapture noundef readonly %0, i64 noundef %1, i64 noundef %2, ptr nocapture noundef %3, i64 noundef %4) local_unnamed_addr #5 {
  %6 = icmp sgt i64 %2, 0
  br i1 %6, label %7, label %15

7:
  %8 = icmp sgt i64 %1, 0
  br label %9

9:
  %10 = phi i64 [ 0, %7 ], [ %17, %16 ]
  br i1 %8, label %11, label %16

11:
  %12 = mul nuw nsw i64 %10, %1
  %13 = mul nsw i64 %10, %4
  %14 = getelementptr inbounds i8, ptr %3, i64 %13
  br label %19

15:
  ret void

16:
  %17 = add nuw nsw i64 %10, 1
  %18 = icmp eq i64 %17, %2
  br i1 %18, label %15, label %9

19:
  %20 = phi i64 [ 0, %11 ], [ %49, %48 ]
  %21 = add nuw nsw i64 %20, %12
  %22 = shl nsw i64 %21, 2
  %23 = getelementptr inbounds i8, ptr %0, i64 %22
  %24 = shl nsw i64 %20, 2
  %25 = getelementptr inbounds i8, ptr %14, i64 %24
  %26 = getelementptr inbounds i8, ptr %23, i64 3
  %27 = load i8, ptr %26, align 1
  %28 = zext i8 %27 to i32
  %29 = icmp eq i8 %27, 0
  br i1 %29, label %48, label %30

30:
  %31 = xor i32 %28, 255
  br label %32

32:
  %33 = phi i64 [ 0, %30 ], [ %46, %32 ]
  %34 = getelementptr inbounds i8, ptr %23, i64 %33
  %35 = load i8, ptr %34, align 1
  %36 = zext i8 %35 to i32
  %37 = mul nuw nsw i32 %36, %28
  %38 = getelementptr inbounds i8, ptr %25, i64 %33
  %39 = load i8, ptr %38, align 1
  %40 = zext i8 %39 to i32
  %41 = mul nuw nsw i32 %31, %40
  %42 = add nuw nsw i32 %37, 127
  %43 = add nuw nsw i32 %42, %41
  %44 = udiv i32 %43, 255
  %45 = trunc i32 %44 to i8
  store i8 %45, ptr %38, align 1
  %46 = add nuw nsw i64 %33, 1
  %47 = icmp eq i64 %46, 3
  br i1 %47, label %48, label %32

48:
  %49 = add nuw nsw i64 %20, 1
  %50 = icmp eq i64 %49, %1
  br i1 %50, label %16, label %19
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #6

define internal fastcc void @add(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef %4, ptr nocapture noundef %5) unnamed_addr #3 {
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = alloca [3 x float], align 4
  %10 = load i64, ptr %1, align 8
  %11 = mul nsw i64 %10, %3
  %12 = getelementptr inbounds i8, ptr %1, i64 24
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr i32, ptr %13, i64 %11
  %15 = getelementptr i32, ptr %14, i64 %2
  %16 = load i32, ptr %15, align 4
  %17 = load i32, ptr %4, align 4
  %18 = icmp eq i32 %16, %17
  br i1 %18, label %212, label %19

19:
  store i32 %16, ptr %4, align 4
  %20 = load i64, ptr %1, align 8
  %21 = mul nsw i64 %20, %3
  %22 = add nsw i64 %21, %2
  %23 = load ptr, ptr %12, align 8
  %24 = getelementptr inbounds i32, ptr %23, i64 %22
  %25 = load i32, ptr %24, align 4
  %26 = getelementptr inbounds i8, ptr %1, i64 32
  %27 = load ptr, ptr %26, align 8
  %28 = shl nsw i64 %22, 1
  %29 = getelementptr inbounds float, ptr %27, i64 %28
  %30 = load float, ptr %29, align 4
  %31 = fsub float 1.000000e+00, %30
  %32 = or disjoint i64 %28, 1
  %33 = getelementptr inbounds float, ptr %27, i64 %32
  %34 = load float, ptr %33, align 4
  %35 = fsub float %31, %34
  store float %35, ptr %8, align 4
  %36 = getelementptr inbounds i8, ptr %8, i64 4
  store float %30, ptr %36, align 4
  %37 = getelementptr inbounds i8, ptr %8, i64 8
  store float %34, ptr %37, align 4
  %38 = getelementptr inbounds i8, ptr %0, i64 24
  %39 = load ptr, ptr %38, align 8
  %40 = getelementptr inbounds i8, ptr %0, i64 16
  %41 = load ptr, ptr %40, align 8
  %42 = mul nsw i32 %25, 3
  %43 = getelementptr inbounds i8, ptr %0, i64 40
  %44 = load ptr, ptr %43, align 8
  %45 = sext i32 %25 to i64
  %46 = getelementptr inbounds i8, ptr %44, i64 %45
  %47 = load i8, ptr %46, align 1
  %48 = icmp eq i8 %47, 0
  %49 = sext i32 %42 to i64
  %50 = getelementptr i32, ptr %41, i64 %49
  br label %86

51:
  %52 = load float, ptr %7, align 4
  %53 = getelementptr inbounds i8, ptr %7, i64 4
  %54 = load float, ptr %53, align 4
  %55 = fmul float %54, %54
  %56 = tail call float @llvm.fmuladd.f32(float %52, float %52, float %55)
  %57 = getelementptr inbounds i8, ptr %7, i64 8
  %58 = load float, ptr %57, align 4
  %59 = tail call float @llvm.fmuladd.f32(float %58, float %58, float %56)
  %60 = tail call float @sqrtf(float noundef %59) #12
  %61 = fcmp ogt float %60, 0x3BC79CA100000000
  %62 = fdiv float 1.000000e+00, %60
  %63 = select i1 %61, float %62, float 0.000000e+00
  br label %64

64:
  %65 = phi i64 [ 0, %51 ], [ %69, %64 ]
  %66 = getelementptr inbounds float, ptr %7, i64 %65
  %67 = load float, ptr %66, align 4
  %68 = fmul float %63, %67
  store float %68, ptr %66, align 4
  %69 = add nuw nsw i64 %65, 1
  %70 = icmp eq i64 %69, 3
  br i1 %70, label %71, label %64

71:
  %72 = getelementptr inbounds i8, ptr %4, i64 4
  %73 = getelementptr inbounds i8, ptr %0, i64 108
  %74 = load float, ptr %7, align 4
  %75 = load float, ptr %73, align 4
  %76 = load float, ptr %53, align 4
  %77 = getelementptr inbounds i8, ptr %0, i64 112
  %78 = load float, ptr %77, align 4
  %79 = fmul float %76, %78
  %80 = tail call float @llvm.fmuladd.f32(float %74, float %75, float %79)
  %81 = load float, ptr %57, align 4
  %82 = getelementptr inbounds i8, ptr %0, i64 116
  %83 = load float, ptr %82, align 4
  %84 = tail call float @llvm.fmuladd.f32(float %81, float %83, float %80)
  %85 = fcmp ogt float %84, 0.000000e+00
  br i1 %85, label %110, label %175

86:
  %87 = phi i64 [ 0, %19 ], [ %93, %89 ]
  %88 = trunc nuw nsw i64 %87 to i32
  br label %95

89:
  %90 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %87
  %91 = fneg float %107
  %92 = select i1 %48, float %107, float %91
  store float %92, ptr %90, align 4
  %93 = add nuw nsw i64 %87, 1
  %94 = icmp eq i64 %93, 3
  br i1 %94, label %51, label %86

95:
  %96 = phi i64 [ 0, %86 ], [ %108, %95 ]
  %97 = phi float [ 0.000000e+00, %86 ], [ %107, %95 ]
  %98 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %96
  %99 = load float, ptr %98, align 4
  %100 = getelementptr i32, ptr %50, i64 %96
  %101 = load i32, ptr %100, align 4
  %102 = mul nsw i32 %101, 3
  %103 = add nsw i32 %102, %88
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds float, ptr %39, i64 %104
  %106 = load float, ptr %105, align 4
  %107 = tail call float @llvm.fmuladd.f32(float %99, float %106, float %97)
  %108 = add nuw nsw i64 %96, 1
  %109 = icmp eq i64 %108, 3
  br i1 %109, label %89, label %95

110:
  %111 = sitofp i64 %2 to float
  %112 = fadd float %111, 5.000000e-01
  %113 = sitofp i64 %3 to float
  %114 = fadd float %113, 5.000000e-01
  %115 = getelementptr inbounds i8, ptr %1, i64 16
  %116 = load ptr, ptr %115, align 8
  %117 = getelementptr inbounds float, ptr %116, i64 %22
  %118 = load float, ptr %117, align 4
  %119 = getelementptr inbounds i8, ptr %0, i64 100
  %120 = load float, ptr %119, align 4
  %121 = fcmp ogt float %120, 0.000000e+00
  %122 = fmul float %118, %120
  %123 = fdiv float 1.000000e+00, %122
  %124 = select i1 %121, float %123, float 1.000000e+00
  %125 = getelementptr inbounds i8, ptr %0, i64 88
  %126 = load float, ptr %125, align 8
  %127 = getelementptr inbounds i8, ptr %0, i64 96
  %128 = load float, ptr %127, align 8
  %129 = tail call float @llvm.fmuladd.f32(float %128, float %112, float %126)
  %130 = fmul float %129, %124
  store float %130, ptr %9, align 4
  %131 = getelementptr inbounds i8, ptr %0, i64 92
  %132 = load float, ptr %131, align 4
  %133 = fneg float %128
  %134 = tail call float @llvm.fmuladd.f32(float %133, float %114, float %132)
  %135 = fmul float %124, %134
  %136 = getelementptr inbounds i8, ptr %9, i64 4
  store float %135, ptr %136, align 4
  br i1 %121, label %137, label %140

137:
  %138 = fdiv float 1.000000e+00, %118
  %139 = fsub float %120, %138
  br label %144

140:
  %141 = getelementptr inbounds i8, ptr %0, i64 104
  %142 = load float, ptr %141, align 8
  %143 = fadd float %118, %142
  br label %144

144:
  %145 = phi float [ %139, %137 ], [ %143, %140 ]
  %146 = getelementptr inbounds i8, ptr %9, i64 8
  store float %145, ptr %146, align 4
  %147 = call fastcc float @lit(ptr noundef nonnull readonly %0, ptr noundef nonnull %9, i32 noundef 2, float noundef 1.000000e+00) #11
  %148 = getelementptr inbounds i8, ptr %0, i64 132
  %149 = load float, ptr %148, align 4
  %150 = getelementptr inbounds i8, ptr %0, i64 136
  %151 = load float, ptr %150, align 4
  %152 = fmul float %76, %151
  %153 = tail call float @llvm.fmuladd.f32(float %74, float %149, float %152)
  %154 = getelementptr inbounds i8, ptr %0, i64 140
  %155 = load float, ptr %154, align 4
  %156 = tail call float @llvm.fmuladd.f32(float %81, float %155, float %153)
  %157 = fcmp ogt float %156, 0.000000e+00
  %158 = select i1 %157, float %156, float 0.000000e+00
  br label %169

159:
  %160 = fmul float %84, %147
  %161 = fmul float %147, 0x3FCC28F5C0000000
  %162 = fmul float %84, 4.000000e+00
  %163 = fcmp ogt float %162, 0.000000e+00
  %164 = select i1 %163, float %162, float 0.000000e+00
  %165 = fcmp olt float %164, 1.000000e+00
  %166 = select i1 %165, float %164, float 1.000000e+00
  %167 = fmul float %166, %161
  %168 = fmul float %167, %172
  br label %175

169:
  %170 = phi i32 [ 0, %144 ], [ %173, %169 ]
  %171 = phi float [ %158, %144 ], [ %172, %169 ]
  %172 = fmul float %171, %171
  %173 = add nuw nsw i32 %170, 1
  %174 = icmp eq i32 %173, 5
  br i1 %174, label %159, label %169

175:
  %176 = phi float [ %168, %159 ], [ 0.000000e+00, %71 ]
  %177 = phi float [ %160, %159 ], [ 0.000000e+00, %71 ]
  %178 = getelementptr inbounds i8, ptr %0, i64 120
  %179 = load float, ptr %178, align 4
  %180 = getelementptr inbounds i8, ptr %0, i64 124
  %181 = load float, ptr %180, align 4
  %182 = fmul float %76, %181
  %183 = tail call float @llvm.fmuladd.f32(float %74, float %179, float %182)
  %184 = getelementptr inbounds i8, ptr %0, i64 128
  %185 = load float, ptr %184, align 4
  %186 = tail call float @llvm.fmuladd.f32(float %81, float %185, float %183)
  %187 = tail call float @llvm.fmuladd.f32(float %186, float 5.000000e-01, float 5.000000e-01)
  %188 = tail call float @llvm.fmuladd.f32(float %187, float 0x3FD0A3D700000000, float 0x3FD47AE140000000)
  %189 = fcmp ogt float %81, 0.000000e+00
  %190 = select i1 %189, float %81, float 0.000000e+00
  %191 = tail call float @llvm.fmuladd.f32(float %190, float 0x3FC1EB8520000000, float %188)
  %192 = tail call float @llvm.fmuladd.f32(float %177, float 0x3FDC28F5C0000000, float %191)
  %193 = getelementptr inbounds i8, ptr %0, i64 32
  %194 = load ptr, ptr %193, align 8
  %195 = shl nsw i32 %25, 2
  %196 = sext i32 %195 to i64
  %197 = getelementptr inbounds float, ptr %194, i64 %196
  br label %198

198:
  %199 = phi i64 [ 0, %175 ], [ %208, %198 ]
  %200 = getelementptr inbounds float, ptr %197, i64 %199
  %201 = load float, ptr %200, align 4
  %202 = tail call float @llvm.fmuladd.f32(float %201, float %192, float %176)
  %203 = fcmp ogt float %202, 0.000000e+00
  %204 = select i1 %203, float %202, float 0.000000e+00
  %205 = fcmp olt float %204, 1.000000e+00
  %206 = select i1 %205, float %204, float 1.000000e+00
  %207 = getelementptr inbounds float, ptr %72, i64 %199
  store float %206, ptr %207, align 4
  %208 = add nuw nsw i64 %199, 1
  %209 = icmp eq i64 %208, 3
  br i1 %209, label %210, label %198

210:
  %211 = load i32, ptr %4, align 4
  br label %212

212:
  %213 = phi i32 [ %211, %210 ], [ %16, %6 ]
  %214 = getelementptr inbounds i8, ptr %0, i64 32
  %215 = load ptr, ptr %214, align 8
  %216 = shl nsw i32 %213, 2
  %217 = or disjoint i32 %216, 3
  %218 = sext i32 %217 to i64
  %219 = getelementptr inbounds float, ptr %215, i64 %218
  %220 = load float, ptr %219, align 4
  %221 = getelementptr inbounds i8, ptr %5, i64 12
  %222 = load float, ptr %221, align 4
  %223 = fsub float 1.000000e+00, %222
  %224 = fmul float %220, %223
  %225 = getelementptr inbounds i8, ptr %4, i64 4
  br label %229

226:
  %227 = load float, ptr %221, align 4
  %228 = fadd float %224, %227
  store float %228, ptr %221, align 4
  ret void

229:
  %230 = phi i64 [ 0, %212 ], [ %236, %229 ]
  %231 = getelementptr inbounds [3 x float], ptr %225, i64 0, i64 %230
  %232 = load float, ptr %231, align 4
  %233 = getelementptr inbounds float, ptr %5, i64 %230
  %234 = load float, ptr %233, align 4
  %235 = tail call float @llvm.fmuladd.f32(float %224, float %232, float %234)
  store float %235, ptr %233, align 4
  %236 = add nuw nsw i64 %230, 1
  %237 = icmp eq i64 %236, 3
  br i1 %237, label %226, label %229
}

define internal fastcc float @lit(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i32 noundef %2, float noundef %3) unnamed_addr #7 {
  %5 = alloca [3 x float], align 4
  %6 = getelementptr inbounds i8, ptr %0, i64 160
  %7 = load float, ptr %1, align 4
  %8 = getelementptr inbounds i8, ptr %1, i64 4
  %9 = load float, ptr %8, align 4
  %10 = getelementptr inbounds i8, ptr %1, i64 8
  %11 = load float, ptr %10, align 4
  br label %18

12:
  %13 = uitofp nneg i32 %2 to float
  %14 = tail call float @llvm.fmuladd.f32(float %13, float %3, float 4.000000e+00)
  %15 = load float, ptr %5, align 4
  %16 = fneg float %14
  %17 = fcmp olt float %15, %16
  br i1 %17, label %171, label %37

18:
  %19 = phi i64 [ 0, %4 ], [ %35, %18 ]
  %20 = shl nuw nsw i64 %19, 2
  %21 = getelementptr inbounds float, ptr %6, i64 %20
  %22 = load float, ptr %21, align 4
  %23 = getelementptr inbounds i8, ptr %21, i64 4
  %24 = load float, ptr %23, align 4
  %25 = fmul float %24, %9
  %26 = tail call float @llvm.fmuladd.f32(float %22, float %7, float %25)
  %27 = getelementptr inbounds i8, ptr %21, i64 8
  %28 = load float, ptr %27, align 4
  %29 = tail call float @llvm.fmuladd.f32(float %28, float %11, float %26)
  %30 = or disjoint i64 %20, 3
  %31 = getelementptr inbounds [12 x float], ptr %6, i64 0, i64 %30
  %32 = load float, ptr %31, align 4
  %33 = fadd float %29, %32
  %34 = getelementptr inbounds [3 x float], ptr %5, i64 0, i64 %19
  store float %33, ptr %34, align 4
  %35 = add nuw nsw i64 %19, 1
  %36 = icmp eq i64 %35, 3
  br i1 %36, label %12, label %18

37:
  %38 = getelementptr inbounds i8, ptr %5, i64 4
  %39 = load float, ptr %38, align 4
  %40 = fcmp olt float %39, %16
  br i1 %40, label %171, label %41

41:
  %42 = getelementptr inbounds i8, ptr %0, i64 152
  %43 = load ptr, ptr %42, align 8
  %44 = load i64, ptr %43, align 8
  %45 = sitofp i64 %44 to float
  %46 = fadd float %14, %45
  %47 = fcmp ogt float %15, %46
  br i1 %47, label %171, label %48

48:
  %49 = getelementptr inbounds i8, ptr %43, i64 8
  %50 = load i64, ptr %49, align 8
  %51 = sitofp i64 %50 to float
  %52 = fadd float %14, %51
  %53 = fcmp ogt float %39, %52
  br i1 %53, label %171, label %54

54:
  %55 = icmp slt i32 %2, 4
  br i1 %55, label %56, label %113

56:
  %57 = getelementptr inbounds i8, ptr %5, i64 8
  %58 = load float, ptr %57, align 4
  %59 = getelementptr inbounds i8, ptr %0, i64 208
  %60 = load float, ptr %59, align 8
  %61 = fadd float %58, %60
  %62 = icmp sgt i32 %2, 0
  br i1 %62, label %63, label %108

63:
  %64 = fmul float %3, -5.000000e-01
  %65 = add nsw i32 %2, -1
  %66 = uitofp nneg i32 %65 to float
  %67 = fmul float %64, %66
  %68 = getelementptr inbounds i8, ptr %43, i64 16
  %69 = fadd float %67, %15
  %70 = fadd float %67, %39
  br label %71

71:
  %72 = phi i32 [ 0, %63 ], [ %105, %82 ]
  %73 = phi i32 [ 0, %63 ], [ %83, %82 ]
  %74 = uitofp nneg i32 %73 to float
  %75 = tail call float @llvm.fmuladd.f32(float %74, float %3, float %70)
  %76 = fcmp oge float %75, 0.000000e+00
  %77 = fptosi float %75 to i64
  %78 = fcmp olt float %75, %51
  %79 = mul nsw i64 %44, %77
  br label %85

80:
  %81 = sitofp i32 %105 to float
  br label %108

82:
  %83 = add nuw nsw i32 %73, 1
  %84 = icmp eq i32 %83, %2
  br i1 %84, label %80, label %71

85:
  %86 = phi i32 [ %72, %71 ], [ %105, %102 ]
  %87 = phi i32 [ 0, %71 ], [ %106, %102 ]
  %88 = uitofp nneg i32 %87 to float
  %89 = tail call float @llvm.fmuladd.f32(float %88, float %3, float %69)
  %90 = fcmp oge float %89, 0.000000e+00
  %91 = select i1 %90, i1 %76, i1 false
  %92 = fcmp olt float %89, %45
  %93 = and i1 %92, %91
  %94 = select i1 %93, i1 %78, i1 false
  br i1 %94, label %95, label %102

95:
  %96 = load ptr, ptr %68, align 8
  %97 = fptosi float %89 to i64
  %98 = getelementptr float, ptr %96, i64 %79
  %99 = getelementptr float, ptr %98, i64 %97
  %100 = load float, ptr %99, align 4
  %101 = fcmp ule float %100, %61
  br label %102

102:
  %103 = phi i1 [ %101, %95 ], [ true, %85 ]
  %104 = zext i1 %103 to i32
  %105 = add nsw i32 %86, %104
  %106 = add nuw nsw i32 %87, 1
  %107 = icmp eq i32 %106, %2
  br i1 %107, label %82, label %85

108:
  %109 = phi float [ 0.000000e+00, %56 ], [ %81, %80 ]
  %110 = mul nuw nsw i32 %2, %2
  %111 = uitofp nneg i32 %110 to float
  %112 = fdiv float %109, %111
  br label %171

113:
  %114 = add nsw i32 %2, -1
  %115 = uitofp nneg i32 %114 to float
  %116 = fmul float %115, 5.000000e-01
  %117 = fmul float %116, %3
  %118 = getelementptr inbounds i8, ptr %5, i64 8
  %119 = load float, ptr %118, align 4
  %120 = getelementptr inbounds i8, ptr %0, i64 208
  %121 = load float, ptr %120, align 8
  %122 = fadd float %119, %121
  %123 = fmul float %117, -5.000000e-01
  %124 = fmul float %123, 2.000000e+00
  %125 = getelementptr inbounds i8, ptr %43, i64 16
  %126 = fadd float %124, %15
  %127 = fadd float %124, %39
  br label %128

128:
  %129 = phi i32 [ 0, %113 ], [ %160, %137 ]
  %130 = phi i32 [ 0, %113 ], [ %138, %137 ]
  %131 = uitofp nneg i32 %130 to float
  %132 = tail call float @llvm.fmuladd.f32(float %131, float %117, float %127)
  %133 = fcmp oge float %132, 0.000000e+00
  %134 = fptosi float %132 to i64
  %135 = fcmp olt float %132, %51
  %136 = mul nsw i64 %44, %134
  br label %140

137:
  %138 = add nuw nsw i32 %130, 1
  %139 = icmp eq i32 %138, 3
  br i1 %139, label %163, label %128

140:
  %141 = phi i32 [ %129, %128 ], [ %160, %157 ]
  %142 = phi i32 [ 0, %128 ], [ %161, %157 ]
  %143 = uitofp nneg i32 %142 to float
  %144 = tail call float @llvm.fmuladd.f32(float %143, float %117, float %126)
  %145 = fcmp oge float %144, 0.000000e+00
  %146 = select i1 %145, i1 %133, i1 false
  %147 = fcmp olt float %144, %45
  %148 = and i1 %147, %146
  %149 = select i1 %148, i1 %135, i1 false
  br i1 %149, label %150, label %157

150:
  %151 = load ptr, ptr %125, align 8
  %152 = fptosi float %144 to i64
  %153 = getelementptr float, ptr %151, i64 %136
  %154 = getelementptr float, ptr %153, i64 %152
  %155 = load float, ptr %154, align 4
  %156 = fcmp ule float %155, %122
  br label %157

157:
  %158 = phi i1 [ %156, %150 ], [ true, %140 ]
  %159 = zext i1 %158 to i32
  %160 = add nsw i32 %141, %159
  %161 = add nuw nsw i32 %142, 1
  %162 = icmp eq i32 %161, 3
  br i1 %162, label %137, label %140

163:
  %164 = sitofp i32 %160 to float
  %165 = fdiv float %164, 9.000000e+00
  %166 = fcmp ogt float %165, 0.000000e+00
  %167 = fcmp olt float %165, 1.000000e+00
  %168 = and i1 %166, %167
  br i1 %168, label %169, label %171

169:
  %170 = call fastcc float @clear_part(ptr noundef %0, ptr noundef nonnull %5, i32 noundef %2, float noundef %3) #11
  br label %171

171:
  %172 = phi float [ %112, %108 ], [ 1.000000e+00, %48 ], [ 1.000000e+00, %41 ], [ 1.000000e+00, %37 ], [ 1.000000e+00, %12 ], [ %170, %169 ], [ %165, %163 ]
  ret float %172
}

declare float @sqrtf(float noundef) local_unnamed_addr #8

define internal fastcc float @clear_part(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i32 noundef %2, float noundef %3) unnamed_addr #7 {
  %5 = getelementptr inbounds i8, ptr %0, i64 152
  %6 = load ptr, ptr %5, align 8
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load float, ptr %7, align 4
  %9 = getelementptr inbounds i8, ptr %0, i64 208
  %10 = load float, ptr %9, align 8
  %11 = fadd float %8, %10
  %12 = icmp sgt i32 %2, 0
  br i1 %12, label %13, label %34

13:
  %14 = fmul float %3, -5.000000e-01
  %15 = add nsw i32 %2, -1
  %16 = uitofp nneg i32 %15 to float
  %17 = fmul float %14, %16
  %18 = getelementptr inbounds i8, ptr %1, i64 4
  %19 = getelementptr inbounds i8, ptr %6, i64 8
  %20 = getelementptr inbounds i8, ptr %6, i64 16
  %21 = load float, ptr %1, align 4
  %22 = fadd float %17, %21
  %23 = load float, ptr %18, align 4
  %24 = fadd float %17, %23
  br label %25

25:
  %26 = phi i32 [ 0, %13 ], [ %68, %39 ]
  %27 = phi i32 [ 0, %13 ], [ %40, %39 ]
  %28 = uitofp nneg i32 %27 to float
  %29 = tail call float @llvm.fmuladd.f32(float %28, float %3, float %24)
  %30 = fcmp oge float %29, 0.000000e+00
  %31 = fptosi float %29 to i64
  br label %42

32:
  %33 = sitofp i32 %68 to float
  br label %34

34:
  %35 = phi float [ 0.000000e+00, %4 ], [ %33, %32 ]
  %36 = mul nuw nsw i32 %2, %2
  %37 = uitofp nneg i32 %36 to float
  %38 = fdiv float %35, %37
  ret float %38

39:
  %40 = add nuw nsw i32 %27, 1
  %41 = icmp eq i32 %40, %2
  br i1 %41, label %32, label %25

42:
  %43 = phi i32 [ %26, %25 ], [ %68, %65 ]
  %44 = phi i32 [ 0, %25 ], [ %69, %65 ]
  %45 = uitofp nneg i32 %44 to float
  %46 = tail call float @llvm.fmuladd.f32(float %45, float %3, float %22)
  %47 = fcmp oge float %46, 0.000000e+00
  %48 = select i1 %47, i1 %30, i1 false
  br i1 %48, label %49, label %65

49:
  %50 = load i64, ptr %6, align 8
  %51 = sitofp i64 %50 to float
  %52 = fcmp olt float %46, %51
  br i1 %52, label %53, label %65

53:
  %54 = load i64, ptr %19, align 8
  %55 = sitofp i64 %54 to float
  %56 = fcmp olt float %29, %55
  br i1 %56, label %57, label %65

57:
  %58 = load ptr, ptr %20, align 8
  %59 = mul nsw i64 %50, %31
  %60 = fptosi float %46 to i64
  %61 = getelementptr float, ptr %58, i64 %59
  %62 = getelementptr float, ptr %61, i64 %60
  %63 = load float, ptr %62, align 4
  %64 = fcmp ule float %63, %11
  br label %65

65:
  %66 = phi i1 [ true, %53 ], [ %64, %57 ], [ true, %42 ], [ true, %49 ]
  %67 = zext i1 %66 to i32
  %68 = add nsw i32 %43, %67
  %69 = add nuw nsw i32 %44, 1
  %70 = icmp eq i32 %69, %2
  br i1 %70, label %39, label %42
}

declare float @llvm.fabs.f32(float) #9

declare i64 @llvm.smin.i64(i64, i64) #9

declare i64 @llvm.smax.i64(i64, i64) #9

attributes #0 = { nofree norecurse nosync nounwind memory(readwrite, inaccessiblemem: none) }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #5 = { nofree norecurse nosync nounwind memory(argmem: readwrite) }
attributes #6 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #7 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) }
attributes #8 = { nounwind }
attributes #9 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nounwind }
attributes #11 = { nobuiltin }
attributes #12 = { nobuiltin nounwind }
