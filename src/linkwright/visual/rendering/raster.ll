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
  br i1 %17, label %18, label %46

18:
  %19 = icmp sgt i64 %12, 0
  %20 = getelementptr inbounds i8, ptr %0, i64 8
  %21 = getelementptr inbounds i8, ptr %0, i64 72
  %22 = getelementptr inbounds i8, ptr %0, i64 80
  %23 = getelementptr inbounds i8, ptr %0, i64 64
  %24 = getelementptr inbounds i8, ptr %7, i64 4
  %25 = getelementptr inbounds i8, ptr %0, i64 40
  %26 = getelementptr inbounds i8, ptr %9, i64 12
  %27 = getelementptr inbounds i8, ptr %8, i64 4
  %28 = getelementptr inbounds i8, ptr %10, i64 12
  %29 = sitofp i64 %12 to float
  %30 = fmul float %29, 5.000000e-01
  %31 = getelementptr inbounds i8, ptr %0, i64 88
  %32 = getelementptr inbounds i8, ptr %0, i64 96
  %33 = getelementptr inbounds i8, ptr %0, i64 92
  %34 = getelementptr inbounds i8, ptr %4, i64 4
  %35 = getelementptr inbounds i8, ptr %4, i64 8
  %36 = getelementptr inbounds i8, ptr %0, i64 100
  %37 = getelementptr inbounds i8, ptr %5, i64 4
  %38 = getelementptr inbounds i8, ptr %5, i64 8
  %39 = getelementptr inbounds i8, ptr %0, i64 120
  %40 = getelementptr inbounds i8, ptr %0, i64 124
  %41 = getelementptr inbounds i8, ptr %0, i64 128
  %42 = getelementptr inbounds i8, ptr %0, i64 144
  %43 = getelementptr inbounds i8, ptr %0, i64 148
  %44 = getelementptr inbounds i8, ptr %0, i64 212
  %45 = getelementptr inbounds i8, ptr %0, i64 216
  br label %47

46:
  ret void

47:
  %48 = phi i64 [ %1, %18 ], [ %141, %140 ]
  %49 = load ptr, ptr %0, align 8
  %50 = icmp ne ptr %49, null
  %51 = and i1 %19, %50
  br i1 %51, label %52, label %81

52:
  %53 = getelementptr inbounds i8, ptr %49, i64 40
  %54 = mul nsw i64 %48, %12
  %55 = load ptr, ptr %53, align 8
  br label %56

56:
  %57 = phi i64 [ %15, %52 ], [ %77, %76 ]
  %58 = phi i64 [ 0, %52 ], [ %78, %76 ]
  %59 = phi i64 [ 0, %52 ], [ %79, %76 ]
  %60 = add nsw i64 %59, %54
  %61 = shl nsw i64 %60, 3
  %62 = getelementptr inbounds i8, ptr %55, i64 %61
  %63 = getelementptr inbounds i8, ptr %62, i64 4
  %64 = load i32, ptr %63, align 4
  %65 = load i32, ptr %62, align 4
  %66 = icmp slt i32 %64, %65
  br i1 %66, label %76, label %67

67:
  %68 = sext i32 %65 to i64
  %69 = sdiv i64 %68, %12
  %70 = tail call i64 @llvm.smin.i64(i64 %69, i64 %57)
  %71 = sext i32 %64 to i64
  %72 = sdiv i64 %71, %12
  %73 = icmp slt i64 %72, %58
  %74 = add nsw i64 %72, 1
  %75 = select i1 %73, i64 %58, i64 %74
  br label %76

76:
  %77 = phi i64 [ %57, %56 ], [ %70, %67 ]
  %78 = phi i64 [ %58, %56 ], [ %75, %67 ]
  %79 = add nuw nsw i64 %59, 1
  %80 = icmp eq i64 %79, %12
  br i1 %80, label %81, label %56

81:
  %82 = phi i64 [ %15, %47 ], [ %77, %76 ]
  %83 = phi i64 [ 0, %47 ], [ %78, %76 ]
  %84 = load ptr, ptr %20, align 8
  %85 = icmp ne ptr %84, null
  %86 = and i1 %19, %85
  br i1 %86, label %87, label %116

87:
  %88 = getelementptr inbounds i8, ptr %84, i64 40
  %89 = mul nsw i64 %48, %12
  %90 = load ptr, ptr %88, align 8
  br label %91

91:
  %92 = phi i64 [ %82, %87 ], [ %112, %111 ]
  %93 = phi i64 [ %83, %87 ], [ %113, %111 ]
  %94 = phi i64 [ 0, %87 ], [ %114, %111 ]
  %95 = add nsw i64 %94, %89
  %96 = shl nsw i64 %95, 3
  %97 = getelementptr inbounds i8, ptr %90, i64 %96
  %98 = getelementptr inbounds i8, ptr %97, i64 4
  %99 = load i32, ptr %98, align 4
  %100 = load i32, ptr %97, align 4
  %101 = icmp slt i32 %99, %100
  br i1 %101, label %111, label %102

102:
  %103 = sext i32 %100 to i64
  %104 = sdiv i64 %103, %12
  %105 = tail call i64 @llvm.smin.i64(i64 %104, i64 %92)
  %106 = sext i32 %99 to i64
  %107 = sdiv i64 %106, %12
  %108 = icmp slt i64 %107, %93
  %109 = add nsw i64 %107, 1
  %110 = select i1 %108, i64 %93, i64 %109
  br label %111

111:
  %112 = phi i64 [ %92, %91 ], [ %105, %102 ]
  %113 = phi i64 [ %93, %91 ], [ %110, %102 ]
  %114 = add nuw nsw i64 %94, 1
  %115 = icmp eq i64 %114, %12
  br i1 %115, label %116, label %91

116:
  %117 = phi i64 [ %82, %81 ], [ %112, %111 ]
  %118 = phi i64 [ %83, %81 ], [ %113, %111 ]
  %119 = load i64, ptr %21, align 8
  %120 = icmp slt i64 %48, %119
  br i1 %120, label %129, label %121

121:
  %122 = load i64, ptr %22, align 8
  %123 = icmp slt i64 %48, %122
  br i1 %123, label %124, label %129

124:
  %125 = load i64, ptr %16, align 8
  %126 = tail call i64 @llvm.smin.i64(i64 %125, i64 %117)
  %127 = load i64, ptr %23, align 8
  %128 = tail call i64 @llvm.smax.i64(i64 %127, i64 %118)
  br label %129

129:
  %130 = phi i64 [ %117, %121 ], [ %117, %116 ], [ %126, %124 ]
  %131 = phi i1 [ true, %121 ], [ true, %116 ], [ false, %124 ]
  %132 = phi i64 [ %118, %121 ], [ %118, %116 ], [ %128, %124 ]
  %133 = icmp slt i64 %130, %132
  br i1 %133, label %134, label %140

134:
  %135 = shl nsw i64 %48, 1
  %136 = mul nsw i64 %48, %12
  %137 = sitofp i64 %136 to float
  %138 = fadd float %30, %137
  %139 = mul nsw i64 %48, %15
  br label %143

140:
  %141 = add i64 %48, 1
  %142 = icmp eq i64 %141, %2
  br i1 %142, label %46, label %47

143:
  %144 = phi i64 [ %130, %134 ], [ %443, %442 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %10, i8 0, i64 16, i1 false)
  %145 = icmp sge i64 %144, %117
  %146 = icmp slt i64 %144, %118
  %147 = select i1 %145, i1 %146, i1 false
  br i1 %147, label %148, label %343

148:
  %149 = load i64, ptr %11, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %7, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(16) %8, ptr noundef nonnull align 4 dereferenceable(16) @__const.mean_color.veil, i64 16, i1 false)
  br label %155

150:
  %151 = load ptr, ptr %20, align 8
  %152 = icmp eq ptr %151, null
  %153 = icmp eq i64 %149, 2
  %154 = select i1 %152, i1 %153, i1 false
  br i1 %154, label %160, label %214

155:
  %156 = phi i64 [ 0, %148 ], [ %158, %155 ]
  %157 = getelementptr inbounds float, ptr %10, i64 %156
  store float 0.000000e+00, ptr %157, align 4
  %158 = add nuw nsw i64 %156, 1
  %159 = icmp eq i64 %158, 4
  br i1 %159, label %150, label %155

160:
  %161 = load ptr, ptr %0, align 8
  %162 = getelementptr inbounds i8, ptr %161, i64 16
  %163 = load ptr, ptr %162, align 8
  %164 = load i64, ptr %161, align 8
  %165 = mul nsw i64 %164, %135
  %166 = getelementptr inbounds float, ptr %163, i64 %165
  %167 = shl nsw i64 %144, 1
  %168 = getelementptr inbounds float, ptr %166, i64 %167
  %169 = getelementptr inbounds float, ptr %168, i64 %164
  %170 = load float, ptr %168, align 4
  %171 = fcmp ogt float %170, 0.000000e+00
  br i1 %171, label %183, label %172

172:
  %173 = getelementptr inbounds i8, ptr %168, i64 4
  %174 = load float, ptr %173, align 4
  %175 = fcmp ogt float %174, 0.000000e+00
  br i1 %175, label %216, label %176

176:
  %177 = load float, ptr %169, align 4
  %178 = fcmp ogt float %177, 0.000000e+00
  br i1 %178, label %216, label %179

179:
  %180 = getelementptr inbounds i8, ptr %169, i64 4
  %181 = load float, ptr %180, align 4
  %182 = fcmp ogt float %181, 0.000000e+00
  br i1 %182, label %216, label %341

183:
  %184 = getelementptr inbounds i8, ptr %161, i64 24
  %185 = load ptr, ptr %184, align 8
  %186 = ptrtoint ptr %168 to i64
  %187 = ptrtoint ptr %163 to i64
  %188 = sub i64 %186, %187
  %189 = getelementptr inbounds i8, ptr %185, i64 %188
  %190 = getelementptr inbounds i32, ptr %189, i64 %164
  %191 = getelementptr inbounds i8, ptr %168, i64 4
  %192 = load float, ptr %191, align 4
  %193 = fcmp ogt float %192, 0.000000e+00
  br i1 %193, label %194, label %216

194:
  %195 = load float, ptr %169, align 4
  %196 = fcmp ogt float %195, 0.000000e+00
  br i1 %196, label %197, label %216

197:
  %198 = getelementptr inbounds i8, ptr %169, i64 4
  %199 = load float, ptr %198, align 4
  %200 = fcmp ogt float %199, 0.000000e+00
  br i1 %200, label %201, label %216

201:
  %202 = load i32, ptr %189, align 4
  %203 = getelementptr inbounds i8, ptr %189, i64 4
  %204 = load i32, ptr %203, align 4
  %205 = icmp eq i32 %202, %204
  br i1 %205, label %206, label %216

206:
  %207 = load i32, ptr %190, align 4
  %208 = icmp eq i32 %202, %207
  br i1 %208, label %209, label %216

209:
  %210 = getelementptr inbounds i8, ptr %190, i64 4
  %211 = load i32, ptr %210, align 4
  %212 = icmp eq i32 %202, %211
  br i1 %212, label %213, label %216

213:
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull %161, i64 noundef %167, i64 noundef %135, ptr noundef nonnull %10) #11
  store float 1.000000e+00, ptr %28, align 4
  br label %341

214:
  %215 = icmp sgt i64 %149, 0
  br i1 %215, label %216, label %224

216:
  %217 = mul nsw i64 %149, %144
  %218 = mul nsw i64 %149, %48
  br label %219

219:
  %220 = phi i32 [ -1, %216 ], [ %321, %227 ]
  %221 = phi i32 [ -1, %216 ], [ %284, %227 ]
  %222 = phi i64 [ 0, %216 ], [ %228, %227 ]
  %223 = add nsw i64 %222, %218
  br label %230

224:
  %225 = mul nsw i64 %149, %149
  %226 = uitofp nneg i64 %225 to float
  br label %334

227:
  %228 = add nuw nsw i64 %222, 1
  %229 = icmp eq i64 %228, %149
  br i1 %229, label %224, label %219

230:
  %231 = phi i32 [ %220, %219 ], [ %321, %322 ]
  %232 = phi i32 [ %221, %219 ], [ %284, %322 ]
  %233 = phi i64 [ 0, %219 ], [ %323, %322 ]
  %234 = add nsw i64 %233, %217
  %235 = load ptr, ptr %0, align 8
  %236 = load i64, ptr %235, align 8
  %237 = mul nsw i64 %236, %223
  %238 = add nsw i64 %237, %234
  %239 = getelementptr inbounds i8, ptr %235, i64 16
  %240 = load ptr, ptr %239, align 8
  %241 = getelementptr inbounds float, ptr %240, i64 %238
  %242 = load float, ptr %241, align 4
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(16) %9, i8 0, i64 16, i1 false)
  %243 = load ptr, ptr %20, align 8
  %244 = icmp eq ptr %243, null
  br i1 %244, label %282, label %245

245:
  %246 = getelementptr inbounds i8, ptr %243, i64 16
  %247 = load ptr, ptr %246, align 8
  %248 = getelementptr inbounds float, ptr %247, i64 %238
  %249 = load float, ptr %248, align 4
  %250 = fcmp ogt float %249, %242
  br i1 %250, label %251, label %282

251:
  %252 = load i64, ptr %243, align 8
  %253 = mul nsw i64 %252, %223
  %254 = getelementptr inbounds i8, ptr %243, i64 24
  %255 = load ptr, ptr %254, align 8
  %256 = getelementptr i32, ptr %255, i64 %253
  %257 = getelementptr i32, ptr %256, i64 %234
  %258 = load i32, ptr %257, align 4
  %259 = icmp eq i32 %258, %232
  br i1 %259, label %262, label %260

260:
  store i32 %258, ptr %7, align 4
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %243, i64 noundef %234, i64 noundef %223, ptr noundef nonnull %24) #11
  %261 = load i32, ptr %7, align 4
  br label %262

262:
  %263 = phi i32 [ %261, %260 ], [ %232, %251 ]
  %264 = load ptr, ptr %25, align 8
  %265 = shl nsw i32 %263, 2
  %266 = or disjoint i32 %265, 3
  %267 = sext i32 %266 to i64
  %268 = getelementptr inbounds float, ptr %264, i64 %267
  %269 = load float, ptr %268, align 4
  br label %270

270:
  %271 = phi i64 [ 0, %262 ], [ %277, %270 ]
  %272 = getelementptr inbounds [3 x float], ptr %24, i64 0, i64 %271
  %273 = load float, ptr %272, align 4
  %274 = getelementptr inbounds float, ptr %9, i64 %271
  %275 = load float, ptr %274, align 4
  %276 = tail call float @llvm.fmuladd.f32(float %269, float %273, float %275)
  store float %276, ptr %274, align 4
  %277 = add nuw nsw i64 %271, 1
  %278 = icmp eq i64 %277, 3
  br i1 %278, label %279, label %270

279:
  %280 = load float, ptr %26, align 4
  %281 = fadd float %269, %280
  store float %281, ptr %26, align 4
  br label %282

282:
  %283 = phi float [ %281, %279 ], [ 0.000000e+00, %245 ], [ 0.000000e+00, %230 ]
  %284 = phi i32 [ %263, %279 ], [ %232, %245 ], [ %232, %230 ]
  %285 = fcmp ogt float %242, 0.000000e+00
  br i1 %285, label %286, label %320

286:
  %287 = load ptr, ptr %0, align 8
  %288 = load i64, ptr %287, align 8
  %289 = mul nsw i64 %288, %223
  %290 = getelementptr inbounds i8, ptr %287, i64 24
  %291 = load ptr, ptr %290, align 8
  %292 = getelementptr i32, ptr %291, i64 %289
  %293 = getelementptr i32, ptr %292, i64 %234
  %294 = load i32, ptr %293, align 4
  %295 = icmp eq i32 %294, %231
  br i1 %295, label %298, label %296

296:
  store i32 %294, ptr %8, align 4
  call fastcc void @shade(ptr noundef nonnull readonly %0, ptr noundef nonnull readonly %287, i64 noundef %234, i64 noundef %223, ptr noundef nonnull %27) #11
  %297 = load i32, ptr %8, align 4
  br label %298

298:
  %299 = phi i32 [ %297, %296 ], [ %231, %286 ]
  %300 = load ptr, ptr %25, align 8
  %301 = shl nsw i32 %299, 2
  %302 = or disjoint i32 %301, 3
  %303 = sext i32 %302 to i64
  %304 = getelementptr inbounds float, ptr %300, i64 %303
  %305 = load float, ptr %304, align 4
  %306 = fsub float 1.000000e+00, %283
  %307 = fmul float %306, %305
  br label %308

308:
  %309 = phi i64 [ 0, %298 ], [ %315, %308 ]
  %310 = getelementptr inbounds [3 x float], ptr %27, i64 0, i64 %309
  %311 = load float, ptr %310, align 4
  %312 = getelementptr inbounds float, ptr %9, i64 %309
  %313 = load float, ptr %312, align 4
  %314 = tail call float @llvm.fmuladd.f32(float %307, float %311, float %313)
  store float %314, ptr %312, align 4
  %315 = add nuw nsw i64 %309, 1
  %316 = icmp eq i64 %315, 3
  br i1 %316, label %317, label %308

317:
  %318 = load float, ptr %26, align 4
  %319 = fadd float %307, %318
  store float %319, ptr %26, align 4
  br label %320

320:
  %321 = phi i32 [ %299, %317 ], [ %231, %282 ]
  br label %325

322:
  %323 = add nuw nsw i64 %233, 1
  %324 = icmp eq i64 %323, %149
  br i1 %324, label %227, label %230

325:
  %326 = phi i64 [ 0, %320 ], [ %332, %325 ]
  %327 = getelementptr inbounds [4 x float], ptr %9, i64 0, i64 %326
  %328 = load float, ptr %327, align 4
  %329 = getelementptr inbounds float, ptr %10, i64 %326
  %330 = load float, ptr %329, align 4
  %331 = fadd float %328, %330
  store float %331, ptr %329, align 4
  %332 = add nuw nsw i64 %326, 1
  %333 = icmp eq i64 %332, 4
  br i1 %333, label %322, label %325

334:
  %335 = phi i64 [ 0, %224 ], [ %339, %334 ]
  %336 = getelementptr inbounds float, ptr %10, i64 %335
  %337 = load float, ptr %336, align 4
  %338 = fdiv float %337, %226
  store float %338, ptr %336, align 4
  %339 = add nuw nsw i64 %335, 1
  %340 = icmp eq i64 %339, 4
  br i1 %340, label %341, label %334

341:
  %342 = load float, ptr %28, align 4
  br label %343

343:
  %344 = phi float [ %342, %341 ], [ 0.000000e+00, %143 ]
  %345 = fcmp uge float %344, 1.000000e+00
  %346 = or i1 %131, %345
  br i1 %346, label %408, label %347

347:
  %348 = load i64, ptr %16, align 8
  %349 = icmp slt i64 %144, %348
  br i1 %349, label %408, label %350

350:
  %351 = load i64, ptr %23, align 8
  %352 = icmp slt i64 %144, %351
  br i1 %352, label %353, label %408

353:
  %354 = mul nsw i64 %144, %12
  %355 = sitofp i64 %354 to float
  %356 = fadd float %30, %355
  %357 = load float, ptr %31, align 8
  %358 = load float, ptr %32, align 8
  %359 = tail call float @llvm.fmuladd.f32(float %358, float %356, float %357)
  %360 = load float, ptr %33, align 4
  %361 = fneg float %358
  %362 = tail call float @llvm.fmuladd.f32(float %361, float %138, float %360)
  store float %359, ptr %4, align 4
  store float %362, ptr %34, align 4
  store float 0.000000e+00, ptr %35, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(12) %5, ptr noundef nonnull align 4 dereferenceable(12) @__const.shadow_on_ground.along, i64 12, i1 false)
  %363 = load float, ptr %36, align 4
  %364 = fcmp ogt float %363, 0.000000e+00
  br i1 %364, label %365, label %367

365:
  store float 0.000000e+00, ptr %34, align 4
  store float 0.000000e+00, ptr %4, align 4
  store float %363, ptr %35, align 4
  store float %359, ptr %5, align 4
  store float %362, ptr %37, align 4
  %366 = fneg float %363
  store float %366, ptr %38, align 4
  br label %367

367:
  %368 = phi float [ %363, %365 ], [ 0.000000e+00, %353 ]
  %369 = phi float [ 0.000000e+00, %365 ], [ %362, %353 ]
  %370 = phi float [ 0.000000e+00, %365 ], [ %359, %353 ]
  %371 = phi float [ %366, %365 ], [ -1.000000e+00, %353 ]
  %372 = phi float [ %362, %365 ], [ 0.000000e+00, %353 ]
  %373 = phi float [ %359, %365 ], [ 0.000000e+00, %353 ]
  %374 = load float, ptr %39, align 4
  %375 = load float, ptr %40, align 4
  %376 = fmul float %372, %375
  %377 = tail call float @llvm.fmuladd.f32(float %374, float %373, float %376)
  %378 = load float, ptr %41, align 4
  %379 = tail call float @llvm.fmuladd.f32(float %378, float %371, float %377)
  %380 = fcmp olt float %379, 0.000000e+00
  br i1 %380, label %381, label %406

381:
  %382 = load float, ptr %42, align 8
  %383 = fmul float %369, %375
  %384 = tail call float @llvm.fmuladd.f32(float %374, float %370, float %383)
  %385 = tail call float @llvm.fmuladd.f32(float %378, float %368, float %384)
  %386 = fsub float %382, %385
  %387 = fdiv float %386, %379
  %388 = fcmp ogt float %387, 0.000000e+00
  br i1 %388, label %396, label %406

389:
  %390 = load float, ptr %43, align 4
  %391 = load float, ptr %44, align 4
  %392 = fdiv float %391, 3.000000e+00
  %393 = call fastcc float @lit(ptr noundef readonly %0, ptr noundef nonnull %6, i32 noundef 7, float noundef %392) #11
  %394 = fsub float 1.000000e+00, %393
  %395 = fmul float %390, %394
  br label %406

396:
  %397 = phi i64 [ %404, %396 ], [ 0, %381 ]
  %398 = getelementptr inbounds [3 x float], ptr %4, i64 0, i64 %397
  %399 = load float, ptr %398, align 4
  %400 = getelementptr inbounds [3 x float], ptr %5, i64 0, i64 %397
  %401 = load float, ptr %400, align 4
  %402 = tail call float @llvm.fmuladd.f32(float %387, float %401, float %399)
  %403 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %397
  store float %402, ptr %403, align 4
  %404 = add nuw nsw i64 %397, 1
  %405 = icmp eq i64 %404, 3
  br i1 %405, label %389, label %396

406:
  %407 = phi float [ 0.000000e+00, %367 ], [ %395, %389 ], [ 0.000000e+00, %381 ]
  br label %408

408:
  %409 = phi float [ %407, %406 ], [ 0.000000e+00, %350 ], [ 0.000000e+00, %347 ], [ 0.000000e+00, %343 ]
  %410 = fsub float 1.000000e+00, %344
  %411 = tail call float @llvm.fmuladd.f32(float %410, float %409, float %344)
  %412 = fcmp ogt float %411, 0.000000e+00
  br i1 %412, label %413, label %442

413:
  %414 = load ptr, ptr %45, align 8
  %415 = add nsw i64 %144, %139
  %416 = shl nsw i64 %415, 2
  %417 = getelementptr inbounds i8, ptr %414, i64 %416
  %418 = fmul float %410, %409
  br label %427

419:
  %420 = tail call float @llvm.fmuladd.f32(float %411, float 2.550000e+02, float 5.000000e-01)
  %421 = fcmp ogt float %420, 0.000000e+00
  %422 = select i1 %421, float %420, float 0.000000e+00
  %423 = fcmp olt float %422, 2.550000e+02
  %424 = select i1 %423, float %422, float 2.550000e+02
  %425 = fptoui float %424 to i8
  %426 = getelementptr inbounds i8, ptr %417, i64 3
  store i8 %425, ptr %426, align 1
  br label %442

427:
  %428 = phi i64 [ 0, %413 ], [ %440, %427 ]
  %429 = getelementptr inbounds [4 x float], ptr %10, i64 0, i64 %428
  %430 = load float, ptr %429, align 4
  %431 = tail call float @llvm.fmuladd.f32(float %418, float 0x3FBEB851E0000000, float %430)
  %432 = fdiv float %431, %411
  %433 = tail call float @llvm.fmuladd.f32(float %432, float 2.550000e+02, float 5.000000e-01)
  %434 = fcmp ogt float %433, 0.000000e+00
  %435 = select i1 %434, float %433, float 0.000000e+00
  %436 = fcmp olt float %435, 2.550000e+02
  %437 = select i1 %436, float %435, float 2.550000e+02
  %438 = fptoui float %437 to i8
  %439 = getelementptr inbounds i8, ptr %417, i64 %428
  store i8 %438, ptr %439, align 1
  %440 = add nuw nsw i64 %428, 1
  %441 = icmp eq i64 %440, 3
  br i1 %441, label %419, label %427

442:
  %443 = add i64 %144, 1
  %444 = icmp eq i64 %443, %132
  br i1 %444, label %140, label %143
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

define internal fastcc void @shade(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3, ptr nocapture noundef writeonly %4) unnamed_addr #3 {
  %6 = alloca [3 x float], align 4
  %7 = alloca [3 x float], align 4
  %8 = alloca [3 x float], align 4
  %9 = load i64, ptr %1, align 8
  %10 = mul nsw i64 %9, %3
  %11 = add nsw i64 %10, %2
  %12 = getelementptr inbounds i8, ptr %1, i64 24
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds i32, ptr %13, i64 %11
  %15 = load i32, ptr %14, align 4
  %16 = getelementptr inbounds i8, ptr %0, i64 16
  %17 = load ptr, ptr %16, align 8
  %18 = mul nsw i32 %15, 3
  %19 = sext i32 %18 to i64
  %20 = getelementptr inbounds i32, ptr %17, i64 %19
  %21 = getelementptr inbounds i8, ptr %0, i64 24
  %22 = load ptr, ptr %21, align 8
  %23 = load i32, ptr %20, align 4
  %24 = mul nsw i32 %23, 3
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds float, ptr %22, i64 %25
  %27 = getelementptr inbounds i8, ptr %20, i64 4
  %28 = load i32, ptr %27, align 4
  %29 = mul nsw i32 %28, 3
  %30 = sext i32 %29 to i64
  %31 = getelementptr inbounds float, ptr %22, i64 %30
  %32 = getelementptr inbounds i8, ptr %20, i64 8
  %33 = load i32, ptr %32, align 4
  %34 = mul nsw i32 %33, 3
  %35 = sext i32 %34 to i64
  %36 = getelementptr inbounds float, ptr %22, i64 %35
  %37 = load float, ptr %31, align 4
  %38 = load float, ptr %26, align 4
  %39 = fsub float %37, %38
  %40 = getelementptr inbounds i8, ptr %36, i64 4
  %41 = load float, ptr %40, align 4
  %42 = getelementptr inbounds i8, ptr %26, i64 4
  %43 = load float, ptr %42, align 4
  %44 = fsub float %41, %43
  %45 = fmul float %39, %44
  %46 = getelementptr inbounds i8, ptr %31, i64 4
  %47 = load float, ptr %46, align 4
  %48 = fsub float %47, %43
  %49 = load float, ptr %36, align 4
  %50 = fsub float %49, %38
  %51 = fmul float %48, %50
  %52 = fcmp ogt float %45, %51
  %53 = getelementptr inbounds i8, ptr %1, i64 32
  %54 = load ptr, ptr %53, align 8
  %55 = shl nsw i64 %11, 1
  %56 = getelementptr inbounds float, ptr %54, i64 %55
  %57 = load float, ptr %56, align 4
  %58 = fsub float 1.000000e+00, %57
  %59 = or disjoint i64 %55, 1
  %60 = getelementptr inbounds float, ptr %54, i64 %59
  %61 = load float, ptr %60, align 4
  %62 = fsub float %58, %61
  store float %62, ptr %7, align 4
  %63 = getelementptr inbounds i8, ptr %7, i64 4
  store float %57, ptr %63, align 4
  %64 = getelementptr inbounds i8, ptr %7, i64 8
  store float %61, ptr %64, align 4
  %65 = getelementptr inbounds i8, ptr %0, i64 32
  %66 = load ptr, ptr %65, align 8
  br label %101

67:
  %68 = load float, ptr %6, align 4
  %69 = getelementptr inbounds i8, ptr %6, i64 4
  %70 = load float, ptr %69, align 4
  %71 = fmul float %70, %70
  %72 = tail call float @llvm.fmuladd.f32(float %68, float %68, float %71)
  %73 = getelementptr inbounds i8, ptr %6, i64 8
  %74 = load float, ptr %73, align 4
  %75 = tail call float @llvm.fmuladd.f32(float %74, float %74, float %72)
  %76 = tail call float @sqrtf(float noundef %75) #12
  %77 = fcmp ogt float %76, 0x3BC79CA100000000
  %78 = fdiv float 1.000000e+00, %76
  %79 = select i1 %77, float %78, float 0.000000e+00
  br label %80

80:
  %81 = phi i64 [ 0, %67 ], [ %85, %80 ]
  %82 = getelementptr inbounds float, ptr %6, i64 %81
  %83 = load float, ptr %82, align 4
  %84 = fmul float %79, %83
  store float %84, ptr %82, align 4
  %85 = add nuw nsw i64 %81, 1
  %86 = icmp eq i64 %85, 3
  br i1 %86, label %87, label %80

87:
  %88 = getelementptr inbounds i8, ptr %0, i64 108
  %89 = load float, ptr %6, align 4
  %90 = load float, ptr %88, align 4
  %91 = load float, ptr %69, align 4
  %92 = getelementptr inbounds i8, ptr %0, i64 112
  %93 = load float, ptr %92, align 4
  %94 = fmul float %91, %93
  %95 = tail call float @llvm.fmuladd.f32(float %89, float %90, float %94)
  %96 = load float, ptr %73, align 4
  %97 = getelementptr inbounds i8, ptr %0, i64 116
  %98 = load float, ptr %97, align 4
  %99 = tail call float @llvm.fmuladd.f32(float %96, float %98, float %95)
  %100 = fcmp ogt float %99, 0.000000e+00
  br i1 %100, label %125, label %202

101:
  %102 = phi i64 [ 0, %5 ], [ %108, %105 ]
  %103 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %102
  %104 = trunc nuw nsw i64 %102 to i32
  br label %110

105:
  %106 = fneg float %122
  %107 = select i1 %52, float %106, float %122
  store float %107, ptr %103, align 4
  %108 = add nuw nsw i64 %102, 1
  %109 = icmp eq i64 %108, 3
  br i1 %109, label %67, label %101

110:
  %111 = phi i64 [ 0, %101 ], [ %123, %110 ]
  %112 = phi float [ 0.000000e+00, %101 ], [ %122, %110 ]
  %113 = getelementptr inbounds [3 x float], ptr %7, i64 0, i64 %111
  %114 = load float, ptr %113, align 4
  %115 = getelementptr inbounds i32, ptr %20, i64 %111
  %116 = load i32, ptr %115, align 4
  %117 = mul nsw i32 %116, 3
  %118 = add nsw i32 %117, %104
  %119 = sext i32 %118 to i64
  %120 = getelementptr inbounds float, ptr %66, i64 %119
  %121 = load float, ptr %120, align 4
  %122 = tail call float @llvm.fmuladd.f32(float %114, float %121, float %112)
  %123 = add nuw nsw i64 %111, 1
  %124 = icmp eq i64 %123, 3
  br i1 %124, label %105, label %110

125:
  %126 = sitofp i64 %2 to float
  %127 = fadd float %126, 5.000000e-01
  %128 = sitofp i64 %3 to float
  %129 = fadd float %128, 5.000000e-01
  %130 = getelementptr inbounds i8, ptr %1, i64 16
  %131 = load ptr, ptr %130, align 8
  %132 = getelementptr inbounds float, ptr %131, i64 %11
  %133 = load float, ptr %132, align 4
  %134 = getelementptr inbounds i8, ptr %0, i64 100
  %135 = load float, ptr %134, align 4
  %136 = fcmp ogt float %135, 0.000000e+00
  %137 = fmul float %133, %135
  %138 = fdiv float 1.000000e+00, %137
  %139 = select i1 %136, float %138, float 1.000000e+00
  %140 = getelementptr inbounds i8, ptr %0, i64 88
  %141 = load float, ptr %140, align 8
  %142 = getelementptr inbounds i8, ptr %0, i64 96
  %143 = load float, ptr %142, align 8
  %144 = tail call float @llvm.fmuladd.f32(float %143, float %127, float %141)
  %145 = fmul float %144, %139
  store float %145, ptr %8, align 4
  %146 = getelementptr inbounds i8, ptr %0, i64 92
  %147 = load float, ptr %146, align 4
  %148 = fneg float %143
  %149 = tail call float @llvm.fmuladd.f32(float %148, float %129, float %147)
  %150 = fmul float %139, %149
  %151 = getelementptr inbounds i8, ptr %8, i64 4
  store float %150, ptr %151, align 4
  br i1 %136, label %152, label %155

152:
  %153 = fdiv float 1.000000e+00, %133
  %154 = fsub float %135, %153
  br label %159

155:
  %156 = getelementptr inbounds i8, ptr %0, i64 104
  %157 = load float, ptr %156, align 8
  %158 = fadd float %133, %157
  br label %159

159:
  %160 = phi float [ %154, %152 ], [ %158, %155 ]
  %161 = getelementptr inbounds i8, ptr %8, i64 8
  store float %160, ptr %161, align 4
  %162 = getelementptr inbounds i8, ptr %0, i64 208
  %163 = load float, ptr %162, align 8
  br label %177

164:
  %165 = call fastcc float @lit(ptr noundef nonnull %0, ptr noundef nonnull %8, i32 noundef 2, float noundef 1.000000e+00) #11
  %166 = getelementptr inbounds i8, ptr %0, i64 132
  %167 = load float, ptr %166, align 4
  %168 = getelementptr inbounds i8, ptr %0, i64 136
  %169 = load float, ptr %168, align 4
  %170 = fmul float %91, %169
  %171 = tail call float @llvm.fmuladd.f32(float %89, float %167, float %170)
  %172 = getelementptr inbounds i8, ptr %0, i64 140
  %173 = load float, ptr %172, align 4
  %174 = tail call float @llvm.fmuladd.f32(float %96, float %173, float %171)
  %175 = fcmp ogt float %174, 0.000000e+00
  %176 = select i1 %175, float %174, float 0.000000e+00
  br label %196

177:
  %178 = phi i64 [ 0, %159 ], [ %184, %177 ]
  %179 = getelementptr inbounds [3 x float], ptr %6, i64 0, i64 %178
  %180 = load float, ptr %179, align 4
  %181 = getelementptr inbounds [3 x float], ptr %8, i64 0, i64 %178
  %182 = load float, ptr %181, align 4
  %183 = tail call float @llvm.fmuladd.f32(float %163, float %180, float %182)
  store float %183, ptr %181, align 4
  %184 = add nuw nsw i64 %178, 1
  %185 = icmp eq i64 %184, 3
  br i1 %185, label %164, label %177

186:
  %187 = fmul float %99, %165
  %188 = fmul float %165, 0x3FCC28F5C0000000
  %189 = fmul float %99, 4.000000e+00
  %190 = fcmp ogt float %189, 0.000000e+00
  %191 = select i1 %190, float %189, float 0.000000e+00
  %192 = fcmp olt float %191, 1.000000e+00
  %193 = select i1 %192, float %191, float 1.000000e+00
  %194 = fmul float %193, %188
  %195 = fmul float %194, %199
  br label %202

196:
  %197 = phi i32 [ 0, %164 ], [ %200, %196 ]
  %198 = phi float [ %176, %164 ], [ %199, %196 ]
  %199 = fmul float %198, %198
  %200 = add nuw nsw i32 %197, 1
  %201 = icmp eq i32 %200, 5
  br i1 %201, label %186, label %196

202:
  %203 = phi float [ %195, %186 ], [ 0.000000e+00, %87 ]
  %204 = phi float [ %187, %186 ], [ 0.000000e+00, %87 ]
  %205 = getelementptr inbounds i8, ptr %0, i64 120
  %206 = load float, ptr %205, align 4
  %207 = getelementptr inbounds i8, ptr %0, i64 124
  %208 = load float, ptr %207, align 4
  %209 = fmul float %91, %208
  %210 = tail call float @llvm.fmuladd.f32(float %89, float %206, float %209)
  %211 = getelementptr inbounds i8, ptr %0, i64 128
  %212 = load float, ptr %211, align 4
  %213 = tail call float @llvm.fmuladd.f32(float %96, float %212, float %210)
  %214 = tail call float @llvm.fmuladd.f32(float %213, float 5.000000e-01, float 5.000000e-01)
  %215 = tail call float @llvm.fmuladd.f32(float %214, float 0x3FD0A3D700000000, float 0x3FD47AE140000000)
  %216 = fcmp ogt float %96, 0.000000e+00
  %217 = select i1 %216, float %96, float 0.000000e+00
  %218 = tail call float @llvm.fmuladd.f32(float %217, float 0x3FC1EB8520000000, float %215)
  %219 = tail call float @llvm.fmuladd.f32(float %204, float 0x3FDC28F5C0000000, float %218)
  %220 = getelementptr inbounds i8, ptr %0, i64 40
  %221 = load ptr, ptr %220, align 8
  %222 = shl nsw i32 %15, 2
  %223 = sext i32 %222 to i64
  %224 = getelementptr inbounds float, ptr %221, i64 %223
  br label %226

225:
  ret void

226:
  %227 = phi i64 [ 0, %202 ], [ %236, %226 ]
  %228 = getelementptr inbounds float, ptr %224, i64 %227
  %229 = load float, ptr %228, align 4
  %230 = tail call float @llvm.fmuladd.f32(float %229, float %219, float %203)
  %231 = fcmp ogt float %230, 0.000000e+00
  %232 = select i1 %231, float %230, float 0.000000e+00
  %233 = fcmp olt float %232, 1.000000e+00
  %234 = select i1 %233, float %232, float 1.000000e+00
  %235 = getelementptr inbounds float, ptr %4, i64 %227
  store float %234, ptr %235, align 4
  %236 = add nuw nsw i64 %227, 1
  %237 = icmp eq i64 %236, 3
  br i1 %237, label %225, label %226
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
